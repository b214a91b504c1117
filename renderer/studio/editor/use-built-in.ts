// Whether an editor is the embedded one, which answers at once; undefined until the editors were read.
import { useQuery } from '@tanstack/react-query'
import { editorsQuery } from './queries.ts'

export function useBuiltIn(editor: string): boolean | undefined {
  const { data } = useQuery({
    ...editorsQuery,
    select: (editors) => editors.some(({ name, driver }) => name === editor && driver === 'embedded'),
  })
  return data
}
