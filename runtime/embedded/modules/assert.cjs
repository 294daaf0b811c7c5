/** `node:assert` as packages call it: CommonJS, since the module itself is the function. */
class AssertionError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message)
    this.name = 'AssertionError'
    this.code = 'ERR_ASSERTION'
  }
}

/**
 * @param {unknown} value
 * @param {string | Error} [message]
 */
function assert(value, message = 'The expression evaluated to a falsy value') {
  if (!value) throw message instanceof Error ? message : new AssertionError(message)
}

module.exports = Object.assign(assert, { ok: assert, AssertionError })
