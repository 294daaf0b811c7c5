/**
 * The same request for a shell. The password is asked for: neither it nor the token stands in a history.
 *
 * @param origin of the service, `https://host:port`
 * @param body as JSON; undefined for a request without one
 */
export function curlOf(method: string, origin: string, uri: string, user: string, body?: unknown): string {
  const words = ['curl', '-k', '-u', quoted(user)]
  if (method !== 'GET') words.push('-X', method)
  if (body !== undefined) words.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)))
  return [...words, quoted(`${origin}${uri}`)].join(' ')
}

/** A word of a POSIX shell that means what it says. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
