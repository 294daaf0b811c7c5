import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { workFolder } from './dropIn.ts'
import { binaries, type Command, onNode, type Program } from './program.ts'
import { missing, native } from './programs.ts'

const { buildBinary } = await import(pathToFileURL('runtime/build/binary.mjs').href)
const { embeddedBundle } = await import(pathToFileURL('runtime/build/bundle.mjs').href)

t.setTimeout(900_000)

const sanitized: Program = {
  host: 'a binary under AddressSanitizer and UBSan',
  skip: missing(native),
  async build(fixture) {
    const out = join(workFolder, `${fixture}-sanitized`)
    await embeddedBundle({ entry: resolve(`test/embedded/fixtures/${fixture}.ts`), out: `${out}.mjs` })
    buildBinary({ bundle: `${out}.mjs`, out, sanitize: true })
    return [out]
  }
}

/**
 * Runs `suite` against the server of fixtures/https.ts on Node.js itself, in the binaries, and in one with sanitizers: what
 * node:https does and what its drop-in does is the same.
 */
export function onEveryHost(suite: (t: Test, command: Command, isNode: boolean) => void | Promise<void>): void {
  for (const host of [onNode, ...binaries, sanitized]) {
    t.test(`https on ${host.host}`, { skip: host.skip }, async (t) =>
      suite(t, await host.build('https'), host === onNode)
    )
  }
}
