/** How a method of the client becomes a call. */
export interface Route {
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    /** `{name}` is an argument of the method, in this order. */
    path: string;
    /** The part of the request that the argument after those of the path becomes. */
    gives: 'body' | 'query' | null;
    /** Whether it takes an `Idempotency-Key`. */
    keyed: boolean;
}
