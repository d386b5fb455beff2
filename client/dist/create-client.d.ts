import { type Client } from './operations.js';
export interface ClientOptions {
    /** Where the service is reached, such as `https://mail.example.com`. */
    baseUrl: string;
    /** The type admits `process.env` as it is; without a key only `getApiMap` answers. */
    apiKey: string | undefined;
    /** Language of the texts of refusals. Default: the service's own. */
    language?: 'fr' | 'en' | undefined;
    /** Further attempts of a call where one can do nothing twice. Default 2; 0 is none. */
    retries?: number | undefined;
    /** Default: the global one. */
    fetch?: typeof fetch | undefined;
}
/**
 * Each method throws a `FacteurError` on a refusal, and what `fetch` throws when nothing answers.
 */
export declare function createClient(options: ClientOptions): Client;
