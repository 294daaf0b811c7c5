import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Media } from '#hal/media.ts'

/** Makes a file of whole sectors. */
export function image(directory: string, name: string, sectors = 1): string {
  const file = join(directory, name)
  writeFileSync(file, new Uint8Array(sectors * 2048))
  return file
}

/**
 * The contract of every back end of hal/media.ts.
 *
 * @param open an empty drive that keeps what it must in the directory; again, what was left there
 */
export function mediaContract(t: Test, backEnd: string, open: (t: Test, directory: string) => Promise<Media> | Media) {
  const withMedia = (title: string, body: (t: Test, media: Media, directory: string) => Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const directory = t.testdir()
      const media = await open(t, directory)
      t.teardown(() => media.close())
      await body(t, media, directory)
    })

  withMedia('a new drive is empty, and can be emptied', async (t, media) => {
    t.equal(media.image, undefined)
    await media.eject()
    t.equal(media.image, undefined)
  })

  withMedia('what is inserted is in it, in place of what was, until it is ejected', async (t, media, directory) => {
    const [one, two] = [image(directory, 'one.iso'), image(directory, 'two, with a comma.iso', 3)]
    await media.insert(one)
    t.equal(media.image, one)
    await media.insert(two)
    t.equal(media.image, two)
    await media.insert(two)
    await media.eject()
    t.equal(media.image, undefined)
  })

  withMedia('what is no image is EINVAL, and what was in it stays', async (t, media, directory) => {
    const good = image(directory, 'good.iso')
    await media.insert(good)
    writeFileSync(join(directory, 'ragged.iso'), new Uint8Array(2049))
    writeFileSync(join(directory, 'empty.iso'), '')
    for (const bad of ['missing.iso', 'ragged.iso', 'empty.iso', '.']) {
      await t.rejects(media.insert(join(directory, bad)), { name: 'HalError', code: 'EINVAL' }, bad)
    }
    t.equal(media.image, good)
  })

  withMedia('what is in it is in it for the next process', async (t, media, directory) => {
    const disc = image(directory, 'disc.iso')
    await media.insert(disc)
    await media.close()
    const again = await open(t, directory)
    t.equal(again.image, disc)
    await again.eject()
    await again.close()
    t.equal((await open(t, directory)).image, undefined)
  })

  withMedia('closed, it is ENODEV', async (t, media, directory) => {
    await media.close()
    await t.rejects(media.insert(image(directory, 'disc.iso')), { name: 'HalError', code: 'ENODEV' })
    await t.rejects(media.eject(), { name: 'HalError', code: 'ENODEV' })
  })
}
