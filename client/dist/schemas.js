/** What travels, as types. Written by `npm run docs` from the contract. */
export {};
