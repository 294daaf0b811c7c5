import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { licensesOf } = await import(pathToFileURL('runtime/build/licenses.mjs').href)

const folder = 'dist/test-licenses'
const put = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}
t.before(() => {
  put('usr/share/doc/libone/copyright', 'one: see /usr/share/common-licenses/Apache-2.0.')
  put('usr/share/doc/libtwo/copyright', 'two')
  symlinkSync('libtwo', join(folder, 'usr/share/doc/libtwo-dev'))
  put('built/usr/share/doc/compiled/copyright', 'compiled')
  put('node_modules/three/LICENSE.md', 'three')
  put('node_modules/@four/five/lib/LICENCE', 'not this one')
  put('node_modules/@four/five/LICENCE', 'five')
})
t.teardown(() => rmSync(folder, { recursive: true }))

const inputs = ['three/index.js', 'three/lib/other.js', '@four/five/lib/index.js'].map((file) =>
  join(folder, 'node_modules', file)
)

t.test('the licenses are those of all packages, each once, and those that they refer to', async (t) => {
  const text: string = licensesOf([folder, join(folder, 'built')], ['runtime/embedded/main.ts', ...inputs])
  const titles = [...text.matchAll(/^={80}\n(.+)\n={80}$/gm)].map(([, title]) => title)
  t.same(titles, ['compiled', 'libone', 'libtwo', '@four/five', 'three', '/usr/share/common-licenses/Apache-2.0'])
  for (const own of ['one: see', 'two', 'three', 'five', 'Apache License']) t.match(text, own)
  t.notMatch(text, 'not this one')
})

t.test('a package without a license cannot be passed on', async (t) => {
  put('node_modules/six/index.js', '')
  t.throws(() => licensesOf([folder], [join(folder, 'node_modules/six/index.js')]), /no license of six/)
})
