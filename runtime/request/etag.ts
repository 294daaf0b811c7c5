/**
 * Entity tags are weak, but compared as opaque text (supplement to RFC 9110 8.8.3: the strong comparison that `If-Match`
 * asks for would never hold for them). A missing `W/` and missing quotes still match; `*` matches whatever exists.
 */

/** The tag of a revision: `W/"<hex>"`. */
export function entityTag(build: string, revision: number): string {
  return `W/"${build}${revision.toString(16)}"`
}

/**
 * Whether a header's list of tags has the tag.
 *
 * @returns undefined when the header is not a list of tags
 */
export function matches(header: string, tag: string): boolean | undefined {
  const list = header.split(',').map((each) => opaque(each.trim()))
  if (list.some((each) => each === undefined)) return undefined
  const wanted = opaque(tag)
  return list.some((each) => each === '*' || each === wanted)
}

function opaque(tag: string): string | undefined {
  const bare = tag.startsWith('W/') ? tag.slice(2) : tag
  const match = /^"([^"]*)"$|^([^"\s]+)$/.exec(bare)
  return match === null ? undefined : (match[1] ?? match[2])
}
