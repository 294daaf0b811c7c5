// needs: curl
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { start } from './builds.ts'
import { bash, blocks } from './pages.ts'

/**
 * Runs the shell of a page against a service of its own, after the login of the README's tour, in an empty folder.
 *
 * @param edited puts in what the page cannot know
 */
export async function followPage(
  t: Test,
  page: string,
  edited = (steps: string) => steps
): Promise<{ printed: string; times: (words: string) => number }> {
  const [, login = ''] = blocks('README.md', 'A five-minute tour')
  const data = mkdtempSync(join(tmpdir(), 'minnow-'))
  const service = await start('dist', data, 'Tour-of-5-minutes')
  t.teardown(async () => {
    await service.stop()
    rmSync(data, { recursive: true })
  })
  const steps = [`cd ${data}\n`, login, ...blocks(page)].join('')
  const { status, printed } = await bash(edited(steps.replaceAll('localhost:8443', `127.0.0.1:${service.port}`)))
  t.equal(status, 0, printed)
  return { printed, times: (words) => printed.split(words).length - 1 }
}
