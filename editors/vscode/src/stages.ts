// The stages that the server shows, and what language each is in.

export const SHOW_STAGE = 'toyc.showStage';
export const SHOW_PLAN = 'toyc.showPlan';

export interface Stage {
  label: string;
  description: string;
  /** The language of the text; without one, it is plain text. */
  language?: string;
}

export const STAGES: Stage[] = [
  { label: 'tokens', description: 'the tokens' },
  { label: 'ast', description: 'the syntax tree' },
  { label: 'toy-source', description: 'the program, formatted from its tree', language: 'toy' },
  { label: 'toy', description: 'the Toy dialect', language: 'mlir' },
  { label: 'shapes', description: 'every shape known, one function per specialization', language: 'mlir' },
  { label: 'linalg', description: 'linalg on tensors', language: 'mlir' },
  { label: 'memref', description: 'buffers', language: 'mlir' },
  { label: 'merged', description: 'one planned allocation per call tree', language: 'mlir' },
  { label: 'memory-plan', description: 'the plan of the memory' },
  { label: 'dealloc', description: 'every buffer freed', language: 'mlir' },
  { label: 'loops', description: 'loop nests', language: 'mlir' },
  { label: 'mlir-llvm', description: 'the LLVM dialect', language: 'mlir' },
  { label: 'llvm', description: 'LLVM IR', language: 'llvm' },
  { label: 'asm', description: 'assembly', language: 'asm' },
];

/** The language of what a command of the server returns. */
export function languageOf(command: string, args: unknown[]): string | undefined {
  if (command !== SHOW_STAGE) return undefined;
  return STAGES.find(stage => stage.label === args[1])?.language;
}

/** The name of the document that shows it: `f.toy, shapes of flip, -O0.mlir`. */
export function titleOf(command: string, args: unknown[]): string {
  const name = decodeURIComponent(String(args[0]).split('/').pop() ?? '');
  if (command !== SHOW_STAGE) return `${name}, memory-plan`;
  const of = typeof args[2] === 'string' ? ` of ${args[2]}` : '';
  const level = typeof args[3] === 'number' ? `, -O${args[3]}` : '';
  return `${name}, ${String(args[1])}${of}${level}`;
}
