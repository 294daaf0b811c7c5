import t from 'tap'
import { HalError, halErrorCodes } from '#hal/errors.ts'
import { Log } from '#runtime/base/log.ts'
import type { MessageError } from '#runtime/contract'
import { explain } from '#runtime/service/machine/machine.ts'

t.test('each failure of a device has a status, and the time after which a client may try again', async (t) => {
  const answer = (error: HalError) => {
    const { status, headers, messages } = explain(error, { kind: 'power' }, new Log(1000)) as MessageError
    return [status, headers['Retry-After'], ...messages.map(({ key }) => key)]
  }
  const unavailable = ['Base.ServiceTemporarilyUnavailable', 'Mgmt.DeviceFailed']
  t.same(Object.fromEntries(halErrorCodes.map((code) => [code, answer(new HalError(code, 'power: on'))])), {
    EBUSY: [503, '5', 'Base.ServiceTemporarilyUnavailable'],
    EINVAL: [409, undefined, 'Mgmt.InvalidOperationForSystemState'],
    EIO: [503, '30', ...unavailable],
    ETIMEDOUT: [503, '15', ...unavailable],
    ENODEV: [503, '60', ...unavailable],
    ENOSPC: [503, '60', ...unavailable],
    EROFS: [503, '60', ...unavailable],
    EACCES: [503, '60', ...unavailable]
  })
  for (const [left, seconds] of [
    [0, '1'],
    [1001, '2']
  ] as const)
    t.equal(answer(new HalError('EBUSY', 'power: on', { left }))[1], seconds)
})
