import { readFileSync } from 'node:fs'
import t from 'tap'

interface Import {
  readonly path: string
  readonly external?: boolean
}

/** The bundler's own graph of the product on Node.js. */
const { inputs }: { inputs: Record<string, { imports: readonly Import[] }> } = JSON.parse(
  readFileSync('dist/meta.json', 'utf8')
)

const own = Object.keys(inputs).filter((path) => !path.startsWith('node_modules/'))
const inside = (folder: string) => own.filter((path) => path.startsWith(`${folder}/`))
const importsOf = (path: string) => inputs[path]?.imports.map((each) => each.path) ?? []

/** Imports of the files of a folder that are not among what the folder may import. */
function strays(folder: string, allowed: RegExp): string[] {
  return inside(folder).flatMap((path) =>
    importsOf(path)
      .filter((imported) => !allowed.test(imported))
      .map((imported) => `${path} imports ${imported}`)
  )
}

t.test('handlers import #runtime and #data only', async (t) => {
  t.ok(inside('handlers').length > 20)
  t.same(strays('handlers', /^(runtime|data)\/index\.ts$/), [])
})

t.test('nobody imports handlers but the generated routes', async (t) => {
  const importers = own.filter((path) => importsOf(path).some((imported) => imported.startsWith('handlers/')))
  t.same(importers, ['dist/generated/index.ts'])
})

t.test('hal knows nothing of the service', async (t) => {
  t.ok(inside('hal').length > 3)
  t.same(strays('hal', /^(hal\/|node:|fs$)/), [])
})

t.test('data is data, and knows the formats and names of UEFI', async (t) => {
  t.same(strays('data', /^(data|hal\/uefi)\//), [])
})

t.test('the runtime knows interfaces of hal; only the hosts choose a back end', async (t) => {
  const backEnd = /^hal\/(backends\.ts$|(sim|native|qemu|gpio|sysfs|file)\/)/
  const choosing = own.filter((path) => importsOf(path).some((imported) => backEnd.test(imported)))
  t.same(
    choosing.filter((path) => !path.startsWith('hal/')),
    ['runtime/node/main.ts']
  )
})

t.test('nothing that #runtime leads to runs a server, a store or a device', async (t) => {
  const reached = new Set(['runtime/index.ts'])
  for (const path of reached) for (const imported of importsOf(path)) reached.add(imported)
  t.ok(reached.size > 10)
  const ours = /^(runtime|data|registries|hal\/uefi)\/|^hal\/(errors|power)\.ts$/
  const outside = [...reached].filter((path) => !ours.test(path))
  t.same(
    outside,
    ['node:crypto'].filter((path) => reached.has(path)),
    'no file, socket, database or device is in reach'
  )
})
