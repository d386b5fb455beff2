/** How a method of the client becomes a call. */
export interface Route {
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    /** `{name}` is an argument of the method, in this order. */
    path: string;
    /** What the argument behind those of the path is. */
    gives: 'body' | 'query' | null;
    /** Whether it takes an `Idempotency-Key`. */
    keyed: boolean;
}
