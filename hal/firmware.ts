/** A part of a firmware image, such as a kernel or a file system. */
export interface FirmwarePart {
  readonly name: string
  /** In bytes. */
  readonly length: number
  /** 64 lower-case hex digits. */
  readonly sha256: string
}

/** A version of the firmware of one component: the parts that make it up, in the order in which they are written. */
export interface FirmwareImage {
  readonly version: string
  readonly parts: readonly FirmwarePart[]
}

/** The slots of a component, as they are now. */
export interface FirmwareState {
  /**
   * One where firmware is written in place, else two or more; none while they are not known. `version` is undefined in a
   * slot without a whole image.
   */
  readonly slots: readonly { readonly version: string | undefined }[]
  /** The slot that runs, by its place. */
  readonly running: number
  /** The slot that the component starts from next. */
  readonly next: number
  /** False while the version that runs is on trial: should it fail to start again, the one before it comes back. */
  readonly committed: boolean
  /** The version of the boot loader that has started the slot, if it reports one. No update changes it. */
  readonly loader?: string | undefined
  /** Whether the component takes the files of its maker, by `install`, and verifies them. Else it takes images. */
  readonly takesFiles?: boolean | undefined
}

/** An image on its way into a slot. No other is written meanwhile. */
export interface FirmwareWriting {
  /**
   * Writes the next bytes: those of all parts, one after another.
   *
   * @throws {HalError} `EINVAL` for more bytes than the image has; `EIO`, `ETIMEDOUT`, `ENODEV`, `ENOSPC`. After a failure
   *   all that is left to do is `abandon`.
   */
  write(bytes: Uint8Array): Promise<void>

  /**
   * Reads back what lies in the slot; then it counts as a whole image.
   *
   * @throws {HalError} `EINVAL` where bytes are missing, or the component does not take the image's own signature; `EIO`
   *   where a part is not what was to be written
   */
  verify(): Promise<void>

  /** Gives up an image that is not verified: its slot stays empty. Never fails. */
  abandon(): Promise<void>
}

/** How the board is reset: `graceful` ends its programs first. */
export type ResetKind = 'graceful' | 'force'

/** The firmware of one component: the controller's, or that of a host. */
export interface Firmware {
  /** From memory: cheap, never fails. */
  readonly state: FirmwareState

  /** Whether the slot that is next is started by a reset of the whole board only; else it is when this is opened again. */
  readonly needsReset: boolean

  /**
   * Begins to write an image to the inactive slot, whose content is lost. The running slot becomes the next one too.
   * With one slot only, the running firmware is overwritten: its component must be off.
   *
   * @throws {HalError} `EBUSY` while another image is written; `EINVAL` for an image that does not fit, or that the
   *   component refuses; `EROFS`, `EIO`, `ETIMEDOUT`, `ENODEV`
   */
  write(image: FirmwareImage): Promise<FirmwareWriting>

  /**
   * Has the component install a file of its maker, instead of `write`, if it takes such files. Its slot may be the next
   * one to start from at once. An installation that the last process began is not repeated.
   *
   * @param file its path
   * @param sha256 of its bytes
   * @param progress hears how far it is, in percent
   * @returns the slot that has it
   * @throws {HalError} `EINVAL` for a file that the component refuses; `EBUSY`, `EIO`, `ETIMEDOUT`, `ENODEV`
   */
  install?(file: string, sha256: string, progress: (percent: number) => void): Promise<number>

  /**
   * Makes a slot the one to start from next, on trial. With the slot that runs, it takes that back.
   *
   * @throws {HalError} `EINVAL` for a slot without a whole image; `EBUSY` while one is written; `EIO`, `ETIMEDOUT`, `ENODEV`
   */
  activate(slot: number): Promise<void>

  /**
   * Says that the version that runs is good: it stays, also when it fails to start some day.
   *
   * @throws {HalError} `EIO`, `ETIMEDOUT`, `ENODEV`
   */
  commit(): Promise<void>

  /**
   * Resets the controller. Absent from firmware of other parts, and where the parent of this process resets the controller.
   *
   * @throws {HalError} `ENODEV`, `ETIMEDOUT`, `EIO`
   */
  reset?(kind: ResetKind): Promise<void>

  /** Hears of every new state; the function returned ends that. */
  on(listener: (state: FirmwareState) => void): () => void

  /** Lets go of the component. An image that is being written is abandoned. */
  close(): Promise<void>
}
