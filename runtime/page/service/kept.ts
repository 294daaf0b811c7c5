import { useState } from 'preact/hooks'

const prefix = 'kept '

/** What the user chose on a screen. It outlives a reload of this tab, and ends with the login. */
export function useKept(name: string, initial = ''): [string, (value: string) => void] {
  const [value, setValue] = useState(() => sessionStorage.getItem(`${prefix}${name}`) ?? initial)
  const keep = (next: string) => {
    sessionStorage.setItem(`${prefix}${name}`, next)
    setValue(next)
  }
  return [value, keep]
}
