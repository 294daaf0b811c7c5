// needs: curl
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * The shell of a page, or of one section of it, block by block, as a reader would paste it.
 *
 * @throws RangeError when the page has no such section
 */
export function blocks(page: string, section?: string): string[] {
  const text = readFileSync(page, 'utf8')
  const part = section === undefined ? text : text.split(/^## /m).find((each) => each.startsWith(section))
  if (part === undefined) throw new RangeError(`${page} has no section ${section}`)
  return [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines = '']) => lines)
}

/** Runs beside this process, which is needed for what the service prints. */
export function bash(lines: string): Promise<{ status: number | null; printed: string }> {
  return new Promise((resolve) => {
    let printed = ''
    // A tour that waits for ever is ended while its output can still be shown.
    const shell = spawn('bash', ['-euc', lines], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 600_000 })
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (printed += chunk))
    shell.on('close', (status) => resolve({ status, printed }))
  })
}
