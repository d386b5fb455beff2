/** A page without pictures from elsewhere: their words stand in their place, and nobody is asked for anything. */

/** Of a page that we rendered: quoted attributes, `<` and `>` of texts escaped. What is on our own site stays. */
export const holdPictures = (html: string): string =>
  html.replace(/<[a-z](?:[^>"]|"[^"]*")*>/gi, (tag) =>
    tag.replace(/\s(?:src|srcset|background)="\s*(?:https?:)?\/\/[^"]*"/gi, ''),
  )
