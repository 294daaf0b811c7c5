import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { boardSchema } from '#data/board'
import { configurationSchema } from '#data/configuration'
import { fleetSchema } from '#data/fleet'
import { handlers } from '#generated'
import { loadBackends } from '#hal/backends.ts'
import type { HandlerModule } from '#runtime/contract'

/**
 * `interface.txt` has what clients, administrators and makers of boards depend on, a declaration in each line: a change
 * of it shows in a review, and is one that was meant. Then `MINNOW_INTERFACE=write` writes the file anew. Handlers that it
 * does not have yet are no change.
 */
const file = 'test/handlers/interface.txt'
const isWritten = process.env.MINNOW_INTERFACE === 'write'

interface Declared {
  readonly type: string | readonly string[]
  readonly readonly?: boolean
  readonly items?: Declared
  readonly properties?: { readonly [name: string]: Declared }
  readonly additionalProperties?: Declared
  readonly variants?: { readonly [type: string]: Declared }
  readonly [rule: string]: unknown
}

/** Declarations that have their lines already: many types share them. */
const written = new Set<unknown>()

/** A line for a declaration, followed by the lines of its parts. Only writable declarations are marked. */
function* lines(name: string, declared: Declared, depth = 0): Generator<string> {
  const { type, items, properties = {}, additionalProperties, variants, readonly, description, ...rules } = declared
  const members = Object.keys(properties)
  const words = [
    `${'  '.repeat(depth)}${name}:`,
    ...[type].flat(),
    ...(readonly === false ? ['writable'] : []),
    ...Object.entries(rules).map(([rule, value]) => `${rule}=${JSON.stringify(value)}`),
    ...(members.length > 0 ? [`{${members}}`] : [])
  ]
  yield words.join(' ')
  const parts = { ...properties, ...variants, '[]': items, '*': additionalProperties }
  for (const [inner, part] of Object.entries(parts)) {
    if (part === undefined || written.has(part)) continue
    written.add(part)
    yield* lines(inner, part, depth + 1)
  }
}

function* linesOf(template: string, module: HandlerModule): Generator<string> {
  const { schema, body, sends, privileges, license, ignored, unannounced, upload, whileDisabled } = module
  yield `${template} ${JSON.stringify({ privileges, license, ignored, unannounced, upload, whileDisabled })}`
  for (const [name, declared] of Object.entries({ schema, body, sends })) {
    if (declared !== undefined) yield* lines(name, declared as unknown as Declared, 1)
  }
}

t.test('the interface is as it was', async (t) => {
  const { fileSchemas } = await import(pathToFileURL('runtime/build/file-schemas.mjs').href)
  const files: { name: string; schema: Declared }[] = fileSchemas({
    ...{ backends: await loadBackends(), boardSchema, configurationSchema, fleetSchema }
  })
  const before = isWritten ? [] : readFileSync(file, 'utf8').trimEnd().split('\n')
  const isKnown = (template: string) => before.some((line) => line.startsWith(`${template} `))
  const known = handlers.filter(({ template }) => isWritten || isKnown(template))
  const now = [
    ...known.flatMap(({ template, module }) => [...linesOf(template, module as HandlerModule)]),
    ...files.flatMap(({ name, schema }) => [...lines(name, schema)])
  ]
  if (isWritten) return writeFileSync(file, `${now.join('\n')}\n`)
  const at = now.findIndex((line, index) => line !== before[index])
  const hint = `${file}:${at + 1}; if it is meant: MINNOW_INTERFACE=write npm run test:fast`
  t.same(now.slice(at, at + 5), before.slice(at, at + 5), hint)
  t.equal(now.length, before.length)
})
