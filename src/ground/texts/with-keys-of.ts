/** Compares the keys of a language with those of another when the sources are compiled. */

/** Returns the texts as they are. A key that is missing, or that `Known` lacks, does not compile. */
export const withKeysOf =
  <Known>() =>
  <Texts extends Known>(
    texts: Texts,
    ..._sameKeys: Known extends Texts ? [] : ['a key too many']
  ): Known =>
    texts
