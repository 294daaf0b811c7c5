import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/** Phrases that are hard to read, and what reads better. */
const phrases: readonly { readonly phrase: RegExp; readonly better: string }[] = [
  { phrase: /(?:^|[.:!] |\/\/ |\/?\*+ |\(')What\b(?![^.]*\?)/, better: 'begin with the subject: "The counters of …"' },
  { phrase: /\b(?:is|are) none\b/, better: '"without a …"' },
  { phrase: /\b[Nn]obody\b(?!`)/, better: '"no client", "an unknown user"' },
  { phrase: /\b[Ss]omebody\b/, better: '"another client", "a user"' },
  { phrase: /\bwhere it\b/, better: '"if it", or the place by its name' },
  { phrase: /\b(?:take|takes|took|taken) back\b/, better: '"rolled back", "restored"' },
  { phrase: /\b(?:tell|tells|told) of\b/, better: '"reports", "announces"' }
]

const folders = ['.ci', 'bench', 'data', 'deploy', 'docs', 'handlers', 'hal', 'registries', 'runtime', 'test']
const files = [
  ...readdirSync('.').filter((name) => /\.(md|mjs)$/.test(name)),
  ...folders.flatMap((folder) =>
    readdirSync(folder, { encoding: 'utf8', recursive: true }).map((name) => join(folder, name))
  )
].filter((name) => /\.(md|tsx?|mjs|[ch])$/.test(name) && !/\.generated\.|fixtures\/|conformance\/prose/.test(name))

/** The lines of a file that are prose, with their numbers: comments, titles of tests, Markdown without its code. */
function prose(name: string, text: string): (readonly [number: number, line: string])[] {
  const lines = text.split('\n').map((line, index) => [index + 1, line] as const)
  if (name.endsWith('.md')) {
    let isCode = false
    return lines.filter(([, line]) => {
      if (line.startsWith('```')) isCode = !isCode
      return !isCode && !line.startsWith('#')
    })
  }
  return lines.filter(([, line]) => /^\s*(?:\/?\*|\/\/)|\s\/\/ |\btest\(\s*['`]/.test(line))
}

function faults(name: string, text: string): string[] {
  return prose(name, text).flatMap(([number, line]) =>
    phrases
      .filter(({ phrase }) => phrase.test(line))
      .map(({ better }) => `${name}:${number}: ${line.trim()} — ${better}`)
  )
}

t.test('comments, pages and titles of tests have no phrase that is hard to read', async (t) => {
  t.ok(files.length > 1000)
  t.same(
    files.flatMap((name) => faults(name, readFileSync(name, 'utf8'))),
    []
  )
})

t.test('such a phrase is found in a comment, in a title and on a page, and not in code', async (t) => {
  for (const [name, text, count] of [
    ['a.ts', '/** What is read. */', 1],
    ['a.ts', ' * It is read. What is left stays.', 1],
    ['a.ts', '// What is read?', 0],
    ['a.ts', "t.test('a value where it is', async () => {})", 1],
    ['a.c', '/* 0 if there is none. */', 1],
    ['a.ts', "const answer = 'there is none'", 0],
    ['a.md', 'It tells of events.\n', 1],
    ['a.md', '## What is removed\n', 0],
    ['a.md', '```\nsomebody\n```\n', 0],
    ['a.md', 'The user `nobody`.\n', 0]
  ] as const)
    t.equal(faults(name, text).length, count, text)
})
