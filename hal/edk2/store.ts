import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'
import {
  checkChange,
  type Nvram,
  type NvramHealth,
  type NvramSpace,
  nextTimestamp,
  type Variable,
  type VariableChange,
  type VariableName,
  variableKey
} from '../nvram.ts'
import { attribute } from '../uefi/attributes.ts'
import { headersSize } from './headers.ts'
import { checkLayout, findLayout, type Layout } from './layout.ts'
