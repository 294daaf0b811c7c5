import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { event, fail, message } from '#runtime/contract'

const { numberOfArgs } = await import(pathToFileURL('runtime/build/number-of-args.mjs').href)

t.test('the type of messages counts the arguments as the registries do', async (t) => {
  const files = readdirSync('registries').filter((name) => name.endsWith('.json'))
  const registries = files.sort().map((name) => JSON.parse(readFileSync(`registries/${name}`, 'utf8')))
  const present = readFileSync('dist/generated/number-of-args.ts', 'utf8')
  t.equal(present, numberOfArgs(registries), '`node build.mjs` makes it anew')
})

/** Never called: each line fails to compile, or `npm run lint` fails. */
export function wrong(key: 'Base.Success' | 'Base.PropertyMissing'): void {
  // @ts-expect-error: one too few
  message('Base.PropertyMissing')
  // @ts-expect-error: one too many
  message('Base.Success', 'Name')
  // @ts-expect-error: no such message
  message('Base.Sucess')
  // @ts-expect-error: one too few
  event('MgmtEvents.LogCleared', '/redfish/v1/Managers/1')
  // @ts-expect-error: a message that answers requests is no event
  event('Base.Success', '/redfish/v1')
  // @ts-expect-error: which of both it is is not known
  message(key, 'Name')
  // @ts-expect-error: one too few
  fail(400, 'Base.PropertyValueIncorrect', 'Name')
}
