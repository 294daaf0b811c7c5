/** `node:path` for POSIX paths. */

/** Resolves `.`, `..` and repeated slashes. */
function normalize(path: string): string {
  const absolute = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length && parts.at(-1) !== '..') parts.pop()
    else if (!absolute) parts.push(part)
  }
  const slash = path.endsWith('/') && parts.length ? '/' : ''
  return `${absolute ? '/' : ''}${parts.join('/')}${slash}` || (path.endsWith('/') && path !== '' ? './' : '.')
}

const isAbsolute = (path: string): boolean => path.startsWith('/')

export function resolve(...paths: string[]): string {
  let resolved = ''
  for (const path of paths.toReversed()) {
    if (path === '') continue
    resolved = resolved === '' ? path : `${path}/${resolved}`
    if (isAbsolute(resolved)) break
  }
  if (!isAbsolute(resolved)) resolved = `${process.cwd()}/${resolved}`
  return normalize(resolved).replace(/(.)\/$/, '$1')
}

export function dirname(path: string): string {
  const above = path.replace(/\/+$/, '').replace(/[^/]+$/, '')
  return above.slice(0, -1) || (path.startsWith('/') ? '/' : '.')
}
