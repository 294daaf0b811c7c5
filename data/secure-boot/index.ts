export * from '#hal/uefi/signature-list.ts'
export * from './records.ts'
export * from './secure-boot.ts'
export * from './signature-database.ts'
