/** The last segment of a URI, with or without a slash at its end. */
export const segmentOf = (uri: string) => decodeURIComponent(uri.replace(/\/$/, '').split('/').at(-1) ?? uri)

/** Whether a URI stands somewhere below another one. */
export function isBelow(uri: string, above: string): boolean {
  const folder = above.replace(/\/?$/, '/')
  return uri.startsWith(folder) && uri !== folder
}
