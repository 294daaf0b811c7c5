/** In place of `enrollments.ts` in a binary without them (`node build.mjs --without acme`): nothing is renewed. */
export class Enrollments {
  check(): void {}

  close(): void {}
}
