import { spawnSync } from 'node:child_process'
import type { Test } from 'tap'
import { directory, type Json } from '#test/host/server.ts'
import { run } from './run.ts'

const found = spawnSync('ansible-doc', ['community.general.redfish_command'], { stdio: 'ignore' }).status === 0

/** How to get Ansible, if it is not installed. */
export const ansible = found ? undefined : 'ansible with community.general: not here; install ansible'

/** Runs a playbook to its end; what each host said of each of its tasks, none of which may have failed. */
export async function play(t: Test, book: string, ...args: string[]): Promise<Record<string, Json>[]> {
  const home = directory(t)
  const settings = {
    ANSIBLE_HOME: home,
    ANSIBLE_REMOTE_TEMP: home,
    ANSIBLE_LOCALHOST_WARNING: 'false',
    ANSIBLE_STDOUT_CALLBACK: 'json'
  }
  const { stdout, stderr } = await run(
    'env',
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    ...['ansible-playbook', `test/clients/ansible/${book}.yml`, ...args]
  )
  t.match(stdout, /^\{/, stderr)
  const [{ tasks }] = JSON.parse(stdout).plays
  return tasks.map(({ task, hosts }: Json) => {
    for (const [host, { failed, msg }] of Object.entries<Json>(hosts))
      t.notOk(failed, `${host}: ${task.name}: ${msg ?? 'done'}`)
    return hosts
  })
}
