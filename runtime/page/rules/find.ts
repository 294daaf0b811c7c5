/**
 * The things whose text has all words, in any case; those first in whose text a word begins with the first one.
 *
 * @param textOf what is searched
 */
export function findIn<T>(things: readonly T[], textOf: (thing: T) => string, words: string): readonly T[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const found = things
    .map((thing) => ({ thing, text: textOf(thing).toLowerCase() }))
    .filter(({ text }) => wanted.every((word) => text.includes(word)))
  const rank = ({ text }: { text: string }) => (` ${text}`.includes(` ${wanted[0] ?? ''}`) ? 0 : 1)
  return found.sort((a, b) => rank(a) - rank(b)).map(({ thing }) => thing)
}
