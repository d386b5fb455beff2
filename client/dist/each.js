/**
 * Every entry of a list, newest first: `for await (const email of each(facteur.listEmails, {
 * status: 'bounced' }))`. The next page is asked for when the one before has been walked through.
 */
export async function* each(list, query, options = {}) {
    let page = await list(query, options);
    yield* page.data;
    while (page.has_more) {
        page = await list(behind(query, page.next_cursor), options);
        yield* page.data;
    }
}
/** The same question, from the cursor on. */
const behind = (query, cursor) => ({ ...query, cursor });
