import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The shell of a section of the README, block by block, as a reader would paste it. */
export function blocks(title: string): string[] {
  const section =
    readFileSync('README.md', 'utf8')
      .split(/^## /m)
      .find((each) => each.startsWith(title)) ?? ''
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines = '']) => lines)
}

/** Runs beside this process, which is needed for what the service prints. */
export function bash(lines: string): Promise<{ status: number | null; printed: string }> {
  return new Promise((resolve) => {
    let printed = ''
    const shell = spawn('bash', ['-euc', lines], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (printed += chunk))
    shell.on('close', (status) => resolve({ status, printed }))
  })
}
