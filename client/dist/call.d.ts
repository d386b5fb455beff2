export interface CallOptions {
    /** Ends the call, and the waiting between its attempts. */
    signal?: AbortSignal | undefined;
    /**
     * Called with the status and headers of a successful answer, such as `Idempotent-Replay`, before
     * the call returns.
     */
    onAnswer?: ((answer: Answer) => void) | undefined;
}
export interface SendOptions extends CallOptions {
    /**
     * Unique per send; the same key and content again send nothing more. Absent: one is made for this
     * call.
     */
    idempotencyKey?: string | undefined;
}
export interface Answer {
    status: number;
    headers: Headers;
    /** Names the call in the service's logs. */
    requestId: string | undefined;
}
/** A call as it goes out. */
export interface Outgoing {
    url: string;
    method: string;
    headers: Record<string, string>;
    body: string | undefined;
    /** Whether a second one, after an answer that was lost, does nothing twice. */
    repeatable: boolean;
}
export interface Sender {
    fetch: typeof fetch;
    retries: number;
}
export declare function call(sender: Sender, outgoing: Outgoing, options: CallOptions): Promise<unknown>;
