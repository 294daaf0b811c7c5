import type { KnipConfig } from 'knip'

const production = process.argv.includes('--production')

/** `knip` looks at all files, `knip --production` at the product alone, for code that only tests or the bench use. */
export default {
  entry: [
    'handlers/**/*.ts!', // the build lists them
    'runtime/{node/{main,controller},embedded/main,embedded/modules/*}.ts!',
    '{hal,runtime/fleet,runtime/recording,runtime/service/{acme,directory}}/absent.ts!', // replace other files in a small binary
    'runtime/page/{main.tsx,terminal.ts,fleet/main.tsx}!',
    'runtime/build/{license,update,stack,common-passwords}.mjs!',
    'deploy/{debian/deb,oci/oci}.mjs!',
    'deploy/image/{image,emulator}.mjs!',
    'data/{accounts/common-passwords,bios/faults}.ts!', // for scripts of the build, which bundle them first
    'bench/{bare.mjs,main.ts,variable-store.ts}',
    'test/run/tap.mjs',
    'test/**/{*.test,fixtures/**/*}.{ts,mjs}',
    ...(production ? [] : ['{runtime/build,deploy/image}/*.mjs']) // for tests, which load them when they run
  ],
  project: ['{bench,test}/**/*.{ts,mjs}', '{data,deploy,handlers,hal,registries,runtime}/**/*.{ts,tsx,mjs}!'],
  paths: { '#generated': ['./runtime/request/generated.d.ts'] },
  // A test may import a function that one file of the product keeps to itself otherwise.
  ignoreExportsUsedInFile: production,
  // `level` brings classic-level; the others are loaded by a path or by `require`.
  ignoreDependencies: ['classic-level', 'kubernetes-types', 'node-api-headers', 'spdx-expression-parse', 'zxcvbn'],
  // Tests name the system tools that they need. Drop-ins have both names if Node.js has two.
  exclude: ['binaries', 'duplicates']
} satisfies KnipConfig
