//! The processor within an architecture, chosen with `--cpu` and `--features`.
//!
//! Input: the names of a processor and of features; none means the architecture's baseline or, for a program that
//! runs at once, this machine's processor. Output: LLVM's names for them, and attributes with these names on each
//! function. Invariants: LLVM gets only names it knows (it would print a warning and go on otherwise); this
//! machine's processor is looked up only if it is requested.
//!
//! The attributes repeat the settings of LLVM's machine: the JIT has a machine of its own without these settings,
//! and LLVM IR as text means the same to another tool.

use crate::codegen::architecture::{Architecture, TARGETS};
use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use toy_diagnostics::suggest::nearest;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The name of this machine's processor for `--cpu`.
pub const NATIVE: &str = "native";

/// A processor as LLVM names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    pub cpu: String,
    /// Changes to the processor's features, as in `+avx2,-fma`.
    pub features: String,
    /// The processor to tune for, if it is another one.
    tuned_for: Option<String>,
    /// True if it is the architecture's baseline, which is LLVM's default.
    is_baseline: bool,
}

impl Processor {
    /// The processor of an architecture that has these names. Only the host's processor may be `native`.
    pub fn new(
        architecture: Architecture,
        is_host: bool,
        cpu: Option<&str>,
        features: &str,
    ) -> Result<Self, Diagnostic> {
        let mut changes = features.split(',').filter(|_| !features.is_empty());
        changes.try_for_each(|feature| check_feature(architecture, feature))?;
        if cpu == Some(NATIVE) && is_host {
            return Ok(Self::native(architecture, features));
        }
        let cpu = cpu.unwrap_or(architecture.cpu);
        check_cpu(architecture, cpu)?;
        let parts = [architecture.usual, features];
        let features = parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(",");
        let is_baseline = cpu == architecture.cpu && features.is_empty();
        let cpu = cpu.to_owned();
        Ok(Self { cpu, features, tuned_for: None, is_baseline })
    }

    /// This machine's processor, with more features or fewer.
    fn native(architecture: Architecture, features: &str) -> Self {
        let (name, own) = host();
        let mut own: Vec<&str> = own.split(',').filter(|feature| !feature.is_empty()).collect();
        // A virtual machine may hide features of its processor. Adding the available features to a processor without
        // others takes LLVM a third of the time that listing all features takes, available or not.
        let levels = levels(architecture, &own);
        let (cpu, tuned_for) = match levels.last() {
            Some((highest, _)) => {
                let is_in = |name: &str| levels.iter().any(|level| level.1.contains(&name));
                own.retain(|name| name.starts_with('+') && !is_in(name));
                ((*highest).to_owned(), Some(name))
            }
            None => (name, None),
        };
        own.extend(Some(features).filter(|features| !features.is_empty()));
        Self { cpu, features: own.join(","), tuned_for, is_baseline: false }
    }

    /// The size of its vector registers in bytes. Loops may be made for it; they compute the same with any.
    pub fn vector_bytes(&self, architecture: Architecture) -> u64 {
        let own = self.of_table(architecture, architecture.processors.vector_bytes).unwrap_or(16);
        self.features.split(',').fold(own, |bytes, feature| match feature {
            "-avx" => 16,
            "-avx2" | "-avx512f" | "+prefer-256-bit" => bytes.min(32),
            "+avx" | "+avx2" => bytes.max(32),
            "+prefer-128-bit" => 16,
            _ if feature.starts_with("+avx512") => 64,
            _ => bytes,
        })
    }

    /// True if it has an instruction for fused multiply-add. Without it, the same numbers take longer.
    pub fn is_fused(&self, architecture: Architecture) -> bool {
        let own = self.of_table(architecture, architecture.processors.fused).unwrap_or(false);
        self.features.split(',').fold(own, |is_fused, feature| match feature {
            "+fma" | "+fma4" => true,
            "-fma" | "-avx" => false,
            _ => is_fused || feature.starts_with("+avx512"),
        })
    }

    /// The processor's entry in a list beside the names.
    fn of_table<T: Copy>(&self, architecture: Architecture, list: &[T]) -> Option<T> {
        let at = architecture.processors.cpus.iter().position(|name| *name == self.cpu)?;
        list.get(at).copied()
    }

    /// Sets the processor of each function of a module, replacing its own attributes.
    pub fn replace_marks(&self, module: &Module) {
        if self.is_baseline {
            return;
        }
        for function in module.get_functions() {
            for name in ATTRIBUTES {
                function.remove_string_attribute(AttributeLoc::Function, name);
            }
        }
        self.mark(module);
    }

    /// Sets the processor of each function of a module, unless the function has its own.
    pub fn mark(&self, module: &Module) {
        if self.is_baseline {
            return;
        }
        let context = module.get_context();
        let tuned_for = self.tuned_for.as_deref().unwrap_or_default();
        let values = [self.cpu.as_str(), self.features.as_str(), tuned_for];
        let attributes = std::array::from_fn::<_, 3, _>(|index| {
            let (name, value) = (ATTRIBUTES[index], values[index]);
            (name, (!value.is_empty()).then(|| context.create_string_attribute(name, value)))
        });
        for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0)
        {
            for (name, attribute) in &attributes {
                if let Some(attribute) = attribute
                    && function.get_string_attribute(AttributeLoc::Function, name).is_none()
                {
                    function.add_attribute(AttributeLoc::Function, *attribute);
                }
            }
        }
    }
}

/// The attributes of a function that depend on the processor; the last one is the processor to be fast on.
const ATTRIBUTES: [&str; 3] = ["target-cpu", "target-features", "tune-cpu"];

/// The processors with exactly the features that x86-64 has gained, in a few steps, each with the features that the step
/// below does not have.
const LEVELS: [(&str, &[&str]); 4] = [
    ("x86-64", &["+64bit", "+cmov", "+cx8", "+fxsr", "+mmx", "+sse", "+sse2"]),
    (
        "x86-64-v2",
        &["+cx16", "+crc32", "+popcnt", "+sahf", "+sse3", "+sse4.1", "+sse4.2", "+ssse3"],
    ),
    (
        "x86-64-v3",
        &["+avx", "+avx2", "+bmi", "+bmi2", "+f16c", "+fma", "+lzcnt", "+movbe", "+xsave"],
    ),
    ("x86-64-v4", &["+avx512bw", "+avx512cd", "+avx512dq", "+avx512f", "+avx512vl"]),
];

/// The steps of an architecture that have no features beyond these.
fn levels(
    architecture: Architecture,
    own: &[&str],
) -> &'static [(&'static str, &'static [&'static str])] {
    let has_all = |(_, features): &(_, &[&str])| features.iter().all(|it| own.contains(it));
    match architecture.names[0] {
        "x86_64" => {
            &LEVELS[..LEVELS.iter().position(|level| !has_all(level)).unwrap_or(LEVELS.len())]
        }
        _ => &[],
    }
}

/// The highest step that this machine's processor has.
pub fn host_level(architecture: Architecture) -> Option<&'static str> {
    let (_, own) = host();
    Some(levels(architecture, &own.split(',').collect::<Vec<_>>()).last()?.0)
}

/// The name and the features of this machine's processor.
pub fn host() -> (String, String) {
    let text = |of: inkwell::support::LLVMString| of.to_string_lossy().into_owned();
    (text(TargetMachine::get_host_cpu_name()), text(TargetMachine::get_host_cpu_features()))
}

fn check_cpu(architecture: Architecture, name: &str) -> Result<(), Diagnostic> {
    let (own, known) = (architecture.names[0], architecture.processors.cpus);
    if known.contains(&name) {
        return Ok(());
    }
    if name == NATIVE {
        let message = format!("`native` is this machine's processor, but the target is {own}");
        let help = format!(
            "name a processor of {own}: `toyc --print cpus --target {}` lists them",
            architecture.triple
        );
        return Err(Diagnostic::error(codes::FOREIGN_CPU, message).help(help));
    }
    if let Some(other) = TARGETS.iter().find(|other| other.processors.cpus.contains(&name)) {
        let message =
            format!("`{name}` is a processor of {}, but the target is {own}", other.names[0]);
        let help = format!("compile for it with --target {}", other.triple);
        return Err(Diagnostic::error(codes::FOREIGN_CPU, message).help(help));
    }
    let message = format!("LLVM knows no processor `{}` of {own}", clipped(name));
    let nearest = nearest(&name.to_ascii_lowercase(), known);
    let help = nearest.map_or_else(
        || format!("`toyc --print cpus --target {}` lists them", architecture.triple),
        |nearest| format!("did you mean `{nearest}`?"),
    );
    Err(Diagnostic::error(codes::UNKNOWN_CPU, message).help(help))
}

fn check_feature(architecture: Architecture, feature: &str) -> Result<(), Diagnostic> {
    let of = |architecture: Architecture| {
        architecture.processors.features.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    };
    let known = of(architecture);
    let error = |message: String| Diagnostic::error(codes::UNKNOWN_FEATURE, message);
    let Some(name) = feature.strip_prefix(['+', '-']) else {
        let diagnostic =
            error(format!("`{}` neither begins with `+` nor with `-`", clipped(feature)));
        let example = if known.contains(&feature) { feature } else { known[0] };
        return Err(diagnostic.help(format!("`+{example}` turns a feature on, `-{example}` off")));
    };
    if known.contains(&name) {
        return Ok(());
    }
    let own = architecture.names[0];
    let diagnostic = error(format!("{own} has no feature `{}` to choose", clipped(name)));
    if let Some(other) = TARGETS.iter().find(|other| of(**other).contains(&name)) {
        return Err(diagnostic.help(format!("it is one of {}", other.names[0])));
    }
    if architecture.fixed.contains(&name) {
        let note = format!("functions on {own} pass numbers in these registers");
        return Err(diagnostic.note(note).help("leave it out: it is always on"));
    }
    let nearest = nearest(&name.to_ascii_lowercase(), &known);
    Err(match nearest {
        Some(nearest) => diagnostic.help(format!("did you mean `{nearest}`?")),
        None => {
            let triple = architecture.triple;
            diagnostic.help(format!("`toyc --print features --target {triple}` lists them"))
        }
    })
}
