/** How much of a text messages repeat, in UTF-16 units. */
const longest = 64

/** The beginning of a long text, all of a short one. */
export function shorten(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Properties whose values are never repeated. */
const secret = /(password|passphrase|secret|token|key|keytab|httpheaders)$/i
const hidden = '******'

/** A value as messages name it: not in full when it is long, and not at all when it may be a secret. */
export function display(name: string, value: unknown): string {
  if (secret.test(name)) return hidden
  if (typeof value === 'string') return shorten(value)
  if (typeof value === 'number') return String(value)
  return shorten(JSON.stringify(value, (member, inner) => (secret.test(member) ? hidden : inner)))
}
