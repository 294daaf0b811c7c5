import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { areInstalled } = await import(pathToFileURL('runtime/build/packages.mjs').href)

t.test('after a pull the packages are installed again if others are required', async (t) => {
  const lock = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
  const [asked, installed] = [lock('package-lock.json'), lock('node_modules/.package-lock.json')]
  t.ok(areInstalled(asked, installed), 'what the build has brought is what is asked for')
  const { 'node_modules/fflate': fflate, ...others } = asked.packages
  t.notOk(areInstalled(asked, { packages: others }), 'one more')
  t.notOk(areInstalled({ packages: { ...others, 'node_modules/fflate': { ...fflate, version: '9.0.0' } } }, installed))
  const elsewhere = { version: '1.0.0', optional: true }
  t.ok(areInstalled({ packages: { ...asked.packages, 'node_modules/elsewhere': elsewhere } }, installed))
})
