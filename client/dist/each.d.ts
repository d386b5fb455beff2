/** Walks through a list, page after page, as long as the caller wants more. */
import type { CallOptions } from './call.js';
interface Page<Entry> {
    data: Entry[];
    has_more: boolean;
    next_cursor: string;
}
/**
 * Every entry of a list, newest first: `for await (const email of each(facteur.listEmails, {
 * status: 'bounced' }))`. The next page is asked for when the one before has been walked through.
 */
export declare function each<Query extends {
    cursor?: string | undefined;
}, Entry>(list: (query?: Query, options?: CallOptions) => Promise<Page<Entry>>, query?: NoInfer<Query>, options?: CallOptions): AsyncGenerator<Entry, void, undefined>;
export {};
