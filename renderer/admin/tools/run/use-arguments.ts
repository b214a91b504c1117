// The arguments of a call, shared by the form and the JSON view.
import { useState } from 'react'
import { t } from '../../../language/language.ts'
import { isRecord } from '../../../ui/form/shape.ts'
import type { Arguments } from '../../../ui/without-secrets.ts'

const written = (args: Arguments): string => JSON.stringify(args, null, 2)

export function useArguments(first: () => Arguments) {
  const [args, setArgs] = useState(first)
  const [text, setText] = useState(() => written(args))
  const [problem, setProblem] = useState<string>()
  /** Remounts fields with local text when other arguments are loaded. */
  const [generation, setGeneration] = useState(0)
  const set = (next: Arguments): void => {
    setArgs(next)
    setText(written(next))
    setProblem(undefined)
  }
  return {
    args,
    text,
    problem,
    generation,
    set,
    write(next: string): void {
      setText(next)
      const found = argumentsIn(next)
      setProblem('problem' in found ? found.problem : undefined)
      if ('args' in found) setArgs(found.args)
    },
    replace(next: Arguments): void {
      set(next)
      setGeneration((before) => before + 1)
    },
  }
}

export function argumentsIn(text: string): { readonly args: Arguments } | { readonly problem: string } {
  if (text.trim() === '') return { args: {} }
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? { args: value } : { problem: t('Arguments must be an object: { … }') }
  } catch {
    return { problem: t('This is not JSON yet') }
  }
}
