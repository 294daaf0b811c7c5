import type { Test } from 'tap'
import type { PostCodes } from '#hal/post-codes.ts'

/**
 * The contract of every back end of hal/post-codes.ts.
 *
 * @param open the port of a host, and how that boots
 */
export function postCodesContract(
  t: Test,
  backEnd: string,
  open: (t: Test) => Promise<{ port: PostCodes; boot: () => Promise<void> }>
) {
  const next = (port: PostCodes) =>
    new Promise<Uint8Array>((resolve) => {
      const stop = port.on((codes) => {
        stop()
        resolve(codes)
      })
    })

  t.test(`${backEnd}: the codes of a boot arrive, at each listener`, async (t) => {
    const { port, boot } = await open(t)
    const [one, other] = [next(port), next(port)]
    await boot()
    t.ok((await one).length > 0)
    t.same(await other, await one)
    await port.close()
  })

  t.test(`${backEnd}: a removed listener is not called, nor is one of a port that is closed`, async (t) => {
    const { port, boot } = await open(t)
    port.on(() => t.fail('it was removed'))()
    const heard = next(port)
    await boot()
    await heard
    port.on(() => t.fail('the port is closed'))
    await port.close()
    await boot()
  })
}
