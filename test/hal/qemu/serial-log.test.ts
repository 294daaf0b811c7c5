import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { SerialLog } from '#hal/qemu/serial-log.ts'

t.test('a log above its limit is emptied after a copy', async (t) => {
  const file = `${t.testdir()}/serial.log`
  const log = new SerialLog(file, 4, t.fail)
  t.teardown(() => log.close())
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

t.test('a log that cannot be copied grows, with one warning', async (t) => {
  const file = `${t.testdir()}/serial.log`
  const warnings: string[] = []
  const log = new SerialLog(file, 4, (text) => warnings.push(text))
  t.teardown(() => log.close())
  mkdirSync(`${file}.1`)
  writeFileSync(file, 'fives')
  log.bound()
  log.bound()
  t.match(warnings, [/^qemu: the log of the serial port has no bound: EISDIR/])
  t.equal(warnings.length, 1)
  t.equal(readFileSync(file, 'utf8'), 'fives')
  rmdirSync(`${file}.1`)
  log.bound()
  t.equal(readFileSync(file, 'utf8'), '')
})
