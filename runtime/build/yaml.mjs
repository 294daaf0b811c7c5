/**
 * A value of JSON as YAML 1.2 in block style.
 *
 * @param {unknown} value
 * @param {string} [indent]
 * @returns {string}
 */
export function yaml(value, indent = '') {
  if (typeof value !== 'object' || value === null) return scalar(value)
  const empty = Object.keys(value).length === 0
  if (empty) return Array.isArray(value) ? '[]' : '{}'
  if (Array.isArray(value)) {
    return value.map((each) => `${indent}- ${yaml(each, `${indent}  `).trimStart()}`).join('\n')
  }
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      const text = yaml(member, `${indent}  `)
      return `${indent}${scalar(name)}:${isBlock(member) ? '\n' : ' '}${text}`
    })
    .join('\n')
}

/** @param {unknown} value */
const isBlock = (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Words that YAML 1.1 readers take for something else than text. */
const reserved = /^(y|n|yes|no|on|off|true|false|null)$/i

/**
 * Writes an unambiguous text as it is, and any other in quotes.
 *
 * @param {unknown} value
 */
function scalar(value) {
  const plain = typeof value === 'string' && /^[A-Za-z/$][\w./$-]*$/.test(value) && !reserved.test(value)
  return plain ? String(value) : JSON.stringify(value)
}
