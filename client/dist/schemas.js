/** The types of requests and answers. Written by `npm run docs` from the contract. */
export {};
