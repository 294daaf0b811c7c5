import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { SerialLog } from '#hal/qemu/serial-log.ts'

t.test('a log above its limit is emptied after a copy', async (t) => {
  const file = `${t.testdir()}/serial.log`
  const log = new SerialLog(file, 4)
  log.bound()
  t.notOk(existsSync(file), 'a file that does not exist is not made')
  writeFileSync(file, 'four')
  log.bound()
  t.equal(readFileSync(file, 'utf8'), 'four')
  t.notOk(existsSync(`${file}.1`))
  writeFileSync(file, 'fives')
  log.bound()
  t.same([readFileSync(file, 'utf8'), readFileSync(`${file}.1`, 'utf8')], ['', 'fives'])
})
