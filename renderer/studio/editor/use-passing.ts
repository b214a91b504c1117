// Which classes an editor does not execute: the embedded one passes their data through, a real one runs all.
import { useQuery } from '@tanstack/react-query'
import { NOT_EXECUTED } from '#pcg-catalog'
import { editorsQuery } from './queries.ts'

const none = (): boolean => false
const passed = (settingsClass: string): boolean => NOT_EXECUTED.has(settingsClass)

export function usePassing(editor: string): (settingsClass: string) => boolean {
  const { data } = useQuery({ ...editorsQuery, staleTime: Infinity })
  return data?.find(({ name }) => name === editor)?.driver === 'embedded' ? passed : none
}
