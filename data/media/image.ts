import { type Destination, parseDestination } from '#data/events'

/** The transfer method of an image. The service downloads it as a whole, also where a client would have it streamed. */
export const transferMethods = ['Stream', 'Upload'] as const

export const transferProtocols = ['HTTP', 'HTTPS'] as const

/** The source of an image: a server, or a file of this machine. */
export type ImageSource = Destination | { readonly file: string }

/** @returns undefined for what is no URI of https or file, and for one that carries a user, a password or a fragment */
export function parseImage(text: string): ImageSource | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/[!"$->@-~]*)$/i.exec(text) ?? []
  if (path === undefined) return parseDestination(text)
  const file = decoded(path)
  return file === undefined || file.includes('\0') || file.split('/').includes('..') ? undefined : { file }
}

/** Where a server of images sends to (RFC 9110 10.2.2). @returns undefined if that is no URI of https */
export function redirection(from: Destination, location: string): Destination | undefined {
  const [target = ''] = location.split('#')
  const uri = absolute(from, target)
  return URL.canParse(uri) ? parseDestination(new URL(uri).href) : undefined
}

function absolute({ origin, path }: Destination, target: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return target
  if (target.startsWith('//')) return `https:${target}`
  const [folder = ''] = /^[^?]*\//.exec(path) ?? []
  return target.startsWith('/') ? `${origin}${target}` : `${origin}${folder}${target}`
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/**
 * Whether images may come from there.
 *
 * @param hosts names and addresses, with a port after a colon if it is not 443, separated by spaces; empty: all
 * @param directory of files; empty: from none
 */
export function allowsImage(source: ImageSource, { hosts, directory }: { hosts: string; directory: string }): boolean {
  if ('file' in source) return directory !== '' && source.file.startsWith(`${directory.replace(/\/+$/, '')}/`)
  const allowed = hosts.toLowerCase().split(/\s+/).filter(Boolean)
  return allowed.length === 0 || allowed.includes(source.origin.slice('https://'.length).toLowerCase())
}
