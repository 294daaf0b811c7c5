// own process: each test has one there
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { findTests } from '#test/run/files.mjs'

t.setTimeout(1_700_000)

t.test('tap’s own command runs tests file by file, as editors and debuggers do', async (t) => {
  // Handlers with a parameter in their path, and all that the build generates. Each takes tap four seconds.
  const files = findTests(['test/handlers/redfish/v1/Chassis/{ChassisId}/Sensors', 'test/runtime/request/handle'])
  t.ok(files.length > 2)
  // The variables that tap sets for its tests must not reach the inner tap.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(_?TAP|NODE_)/.test(name)))
  const { status, stdout, stderr } = spawnSync('node_modules/.bin/tap', ['--reporter=tap', ...files], {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28
  })
  t.equal(status, 0, stderr)
  for (const file of files) t.ok(stdout.includes(`- ${file} # time=`), file)
})
