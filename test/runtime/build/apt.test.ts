import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { configureApt } from '../../../runtime/build/apt.mjs'

/** A mirror as apt-get reports it: the suites whose lists match their signatures, and the codename of `stable`. */
function mirror(test: Test, { consistent, stable }: { consistent: string; stable: string }) {
  const folder = test.testdir({})
  const program = join(folder, 'apt-get')
  writeFileSync(
    program,
    `#!/bin/sh
folder=$(dirname "$APT_CONFIG")
case "$*" in
*update)
  grep -vqE " (${consistent}) main" "$folder/sources.list" || exit 0
  echo 'Get:1 InRelease'
  for n in 1 2 3; do echo "E: Failed to fetch Packages.xz  File has unexpected size ($n != 8)." >&2; done
  exit 100 ;;
*CODENAME*) grep -q ' stable main' "$folder/sources.list" && echo ${stable} || echo trixie ;;
*) echo 'mirror: bookworm'; echo 'mirror: bookworm-security' ;;
esac
`
  )
  chmodSync(program, 0o755)
  const path = process.env.PATH
  process.env.PATH = `${folder}:${path}`
  test.teardown(() => {
    process.env.PATH = path
  })
  return folder
}

const suites = (folder: string) =>
  readFileSync(join(folder, 'sources.list'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ').at(-2))

t.test('packages are from the release with its updates', async (t) => {
  const folder = mirror(t, { consistent: 'trixie|trixie-security', stable: 'trixie' })
  configureApt(folder, 'armhf', 'deb')
  t.same(suites(folder), ['trixie', 'trixie-security'])
})

t.test('while a mirror synchronises its updates, packages are from the release', async (t) => {
  const folder = mirror(t, { consistent: 'trixie', stable: 'trixie' })
  configureApt(folder, 'armhf', 'deb')
  t.same(suites(folder), ['trixie'])
})

t.test('while it synchronises the release too, packages are from the alias of the release', async (t) => {
  const folder = mirror(t, { consistent: 'stable', stable: 'trixie' })
  configureApt(folder, 'armhf', 'deb')
  t.same(suites(folder), ['stable'])
})

t.test('Standard error says in a line which index cannot be used, why, and which one is tried instead', async (t) => {
  const folder = mirror(t, { consistent: 'stable', stable: 'trixie' })
  const written = t.capture(process.stderr, 'write', () => true)
  configureApt(folder, 'armhf', 'deb')
  const why = '(Failed to fetch Packages.xz  File has unexpected size (1 != 8).)'
  t.same(
    written().map(({ args }) => args[0]),
    [
      `Debian's index of trixie with its updates cannot be used ${why}; trying trixie without its updates\n`,
      `Debian's index of trixie without its updates cannot be used ${why}; trying stable, without its updates\n`
    ]
  )
})

t.test('An alias that has moved on to another release is refused', async (t) => {
  const folder = mirror(t, { consistent: 'stable', stable: 'forky' })
  t.throws(() => configureApt(folder, 'armhf', 'deb'), /the mirror has forky instead/)
})

t.test('A mirror that has nothing consistent is an error', async (t) => {
  const folder = mirror(t, { consistent: 'none', stable: 'trixie' })
  t.throws(() => configureApt(folder, 'armhf', 'deb'), /apt-get failed \(100\)/)
})
