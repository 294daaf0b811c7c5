import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { botan } from './botan.ts'
import { onEveryHost } from './every-host.ts'
import { push } from './push.ts'
import { directory, start } from './server.ts'

onEveryHost(async (t, host) => {
  const folder = directory(t)
  const env = { ...process.env, PATH: `${botan(t)}:${process.env.PATH}` }
  const run = (program: string, ...words: string[]) => execFileSync(program, words, { env, cwd: folder }).toString()
  const makeKey = (name: string) => {
    writeFileSync(join(folder, name), run('botan', 'keygen', '--algo=HSS-LMS', '--params=SHA-256,HW(10,8)'))
    return run('botan', 'pkcs8', '--pub-out', name).replace(/-----.*-----|\n/g, '')
  }
  const board = { ...sim, updateKeyLms: makeKey('update-lms.pem') }
  makeKey('other-lms.pem')
  writeFileSync(join(folder, 'board.json'), JSON.stringify(board))
  const update = (version: string, ...words: string[]) =>
    readFileSync(
      join(folder, run(process.execPath, resolve('runtime/build/update.mjs'), '--version', version, ...words).trim())
    )

  const server = await start(t, host, { args: ['--board', join(folder, 'board.json')] })
  const answerTo = async (file: Uint8Array) => {
    const { status, text } = await push(server, { '@Redfish.OperationApplyTime': 'OnReset' }, file)
    return { status, text }
  }
  const canVerify = host.name !== 'Node.js'

  t.test('an update with one signature is refused by a board that requires two', async (t) => {
    t.match(await answerTo(update('1.63')), { status: 400, text: /it has no LMS signature/ })
  })

  t.test('an update with a second signature by another key is refused', async (t) => {
    const file = update('1.64', '--lms-key', 'other-lms.pem')
    t.match(await answerTo(file), {
      status: 400,
      text: canVerify ? /its LMS signature is not from the manufacturer/ : /cannot verify/
    })
  })

  t.test('a second signature with a changed byte is refused', async (t) => {
    const good = update('1.64', '--lms-key', 'update-lms.pem')
    const end = good.length - 65_536
    for (const back of [1456, 1450, 1400, 700, 1]) {
      const file = Buffer.from(good)
      file[end - back]! ^= 1
      t.match(await answerTo(file), { status: 400, text: /LMS signature/ }, `${back} bytes before its end`)
    }
  })

  t.test('an update that Botan has signed as well is taken, where LMS can be verified', async (t) => {
    const file = update('1.63', '--lms-key', 'update-lms.pem')
    t.match(
      await answerTo(file),
      canVerify ? { status: 202 } : { status: 400, text: /this host cannot verify its LMS signature/ }
    )
  })
})
