import { readdirSync, readFileSync } from 'node:fs'
import { onEveryHost } from './every-host.ts'
import { start } from './server.ts'

const noFilter = /"the kernel does not filter system calls","error":"ENOSYS"/

onEveryHost(async (t, host) => {
  t.test('the binary has a filter of system calls on each thread, or reports that the kernel lacks it', async (t) => {
    const server = await start(t, host)
    // Passwords are checked on threads that come after the start.
    await server.login()
    const { pid, stderr } = server.process
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
    t.ok(threads.length > 1)
    const filtered = threads.filter((status) => /^NoNewPrivs:\t1$/m.test(status) && /^Seccomp:\t2$/m.test(status))
    t.equal(filtered.length, host.name === 'x86-64' ? threads.length : 0)
    await server.stop()
    t.equal(stderr.filter((line) => noFilter.test(line)).length, host.name === 'ARMv7' ? 1 : 0)
  })
})
