/**
 * The server of `host` or `host:port`; an address of IPv6 is in brackets. Undefined for any other text.
 *
 * @param standard the port where none is named
 */
export function parseServer(authority: string, standard: number): { host: string; port: number } | undefined {
  const [, host = '', , given] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:(\d{1,5}))?$/i.exec(authority) ?? []
  const port = given === undefined ? standard : Number(given)
  return host !== '' && isHost(host) && isPort(port) ? { host, port } : undefined
}

/** A name (RFC 1123 2.1, and underscores, which resolvers let pass) or an address; what ends in a number is no name. */
function isHost(text: string): boolean {
  if (text.startsWith('[')) return true
  const labels = text.split('.')
  if (/^\d+$/.test(labels.at(-1) ?? ''))
    return labels.length === 4 && labels.every((each) => /^\d{1,3}$/.test(each) && Number(each) < 256)
  return text.length < 254 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
}

function isPort(number: number): boolean {
  return number >= 1 && number <= 65_535
}
