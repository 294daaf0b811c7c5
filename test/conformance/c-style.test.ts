// own process: it starts a program that takes long
import { execFileSync, spawnSync } from 'node:child_process'
import t from 'tap'

const installed = spawnSync('clang-format', ['--version']).error === undefined
const skip = !installed && process.env.CI !== 'true' && 'it needs clang-format (apt-get install clang-format)'

t.test('every C file is as clang-format writes it', { skip }, async (t) => {
  const files = execFileSync('git', ['ls-files', '*.c', '*.h'], { encoding: 'utf8' }).trim().split('\n')
  t.ok(files.length > 100)
  const { status, stderr } = spawnSync('clang-format', ['--dry-run', '-Werror', ...files], { encoding: 'utf8' })
  t.equal(status, 0, stderr.slice(0, 4000))
})

t.test('it is seen when a file is not', { skip }, async (t) => {
  const input = 'int main(void)\n{\n  return 0;\n}\n'
  const words = ['--dry-run', '-Werror', '--assume-filename=main.c']
  t.not(spawnSync('clang-format', words, { input }).status, 0)
})
