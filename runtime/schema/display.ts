/** The most UTF-16 units of a text that messages repeat. */
const longest = 64

/** The beginning of a long text, all of a short one. */
export function shorten(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A name in a JSON pointer (RFC 6901 3): the beginning of a long one. */
export function pointerToken(name: string): string {
  return shorten(name).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** True for the name of a property whose values must never be repeated. */
export function isSecret(name: string): boolean {
  return /(password|passphrase|secret|token|key|keytab|httpheaders)$/i.test(name)
}

/** Whether a text has a private key as PEM in it, whatever property it was sent as. */
function isPrivateKey(value: unknown): boolean {
  return typeof value === 'string' && value.includes('PRIVATE KEY-')
}

/**
 * A value as messages name it: not in full when it is long, and not at all when it, or a member of it, is a secret. A URI
 * does not show whose it is.
 */
export function display(value: unknown, secret: boolean): string {
  const hidden = '******'
  if (secret || isPrivateKey(value)) return hidden
  if (typeof value === 'string') return shorten(value.replace(/:\/\/[^/?#]*@/, `://${hidden}@`))
  if (typeof value === 'number') return String(value)
  return shorten(
    String(JSON.stringify(value, (member, inner) => (isSecret(member) || isPrivateKey(inner) ? hidden : inner)))
  )
}
