//! The area of target searches of the segment: what is searched for, and how far the search has come.

use testwright_abi::climb::Variable;
use testwright_abi::fitness::{Fitness, Level};
use testwright_abi::memory::TARGET_SEARCH_OFFSET;
use testwright_abi::target_search::{
    LEVELS_OFFSET, MAX_LEVELS, MAX_NODES, MAX_ROW_VALUES, MAX_ROWS, MAX_VARIABLES, MAX_WORDS, NODES_OFFSET,
    ROWS_OFFSET, SCORES_OFFSET, TargetSearch, VALUES_OFFSET, VARIABLES_OFFSET, WORDS_OFFSET,
};

use crate::segment::{OutsideSegment, SharedSegment};

/// What a target search is about.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchProblem<'a> {
    /// The scalars that are varied. A variable of a global names a place in its bytes, as draws do.
    pub variables: &'a [Variable],
    /// The outcomes on the way to the target.
    pub levels: &'a [Level],
    /// The path conditions of each node of the target, in words; none for the standard fitness.
    pub nodes: &'a [Vec<u32>],
}

impl SharedSegment {
    /// The start of the area of target searches.
    #[must_use]
    pub fn target_search(&self) -> TargetSearch {
        self.view::<TargetSearch>(TARGET_SEARCH_OFFSET, 1, 1).first().copied().unwrap_or_default()
    }

    /// Replaces the start of the area of target searches.
    pub fn set_target_search(&mut self, search: &TargetSearch) {
        self.write(TARGET_SEARCH_OFFSET, std::slice::from_ref(search));
    }

    /// Writes what a target search is about, and its counts.
    ///
    /// # Errors
    /// It is too much.
    pub fn write_problem(
        &mut self,
        search: &mut TargetSearch,
        problem: &SearchProblem<'_>,
    ) -> Result<(), OutsideSegment> {
        let words: usize = problem.nodes.iter().map(Vec::len).sum();
        let counts = [
            ("variables of a target search", problem.variables.len(), MAX_VARIABLES),
            ("levels of a target search", problem.levels.len(), MAX_LEVELS),
            ("nodes of a target search", problem.nodes.len(), MAX_NODES),
            ("path conditions of a target search", words, MAX_WORDS),
        ];
        for (part, count, most) in counts {
            if count as u64 > most {
                return Err(OutsideSegment { part, address: most, length: count as u64 });
            }
        }
        self.write(VARIABLES_OFFSET, problem.variables);
        self.write(LEVELS_OFFSET, problem.levels);
        let mut starts = vec![0u32];
        for node in problem.nodes {
            let start = starts[starts.len() - 1];
            self.write(WORDS_OFFSET + 4 * u64::from(start), node);
            starts.push(start + node.len() as u32);
        }
        self.write(NODES_OFFSET, &starts);
        search.variable_count = problem.variables.len() as u32;
        search.level_count = problem.levels.len() as u32;
        search.node_count = problem.nodes.len() as u32;
        Ok(())
    }

    /// The values of the climber.
    #[must_use]
    pub fn values(&self, count: usize) -> Vec<u64> {
        self.view(VALUES_OFFSET, count, MAX_VARIABLES)
    }

    /// Replaces the values of the climber; at most as many as a target search can have variables.
    pub fn set_values(&mut self, values: &[u64]) {
        self.write(VALUES_OFFSET, &values[..values.len().min(MAX_VARIABLES as usize)]);
    }

    /// Writes rows to be evaluated, one after the other; how many of them there is room for is returned.
    pub fn write_rows(&mut self, rows: &[Vec<u64>]) -> usize {
        let (mut count, mut offset) = (0, 0);
        for row in rows.iter().take(MAX_ROWS as usize) {
            if offset + row.len() as u64 > MAX_ROW_VALUES {
                break;
            }
            self.write(ROWS_OFFSET + 8 * offset, row);
            offset += row.len() as u64;
            count += 1;
        }
        count
    }

    /// The fitness of the first rows.
    #[must_use]
    pub fn scores(&self, count: usize) -> Vec<Fitness> {
        self.view(SCORES_OFFSET, count, MAX_ROWS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hunted_is_read_back_and_too_much_of_it_is_refused() {
        let mut segment = SharedSegment::new().unwrap();
        let mut search = TargetSearch { target: 7, ..TargetSearch::default() };
        let variables = vec![Variable::default(); MAX_VARIABLES as usize + 1];
        let problem = SearchProblem { variables: &variables[1..], ..SearchProblem::default() };
        segment.write_problem(&mut search, &problem).unwrap();
        segment.set_target_search(&search);
        assert_eq!(u64::from(segment.target_search().variable_count), MAX_VARIABLES);
        let problem = SearchProblem { variables: &variables, ..SearchProblem::default() };
        let error = segment.write_problem(&mut search, &problem).unwrap_err();
        assert_eq!(error.part, "variables of a target search");
    }

    #[test]
    fn rows_that_do_not_fit_wait() {
        let mut segment = SharedSegment::new().unwrap();
        assert_eq!(segment.write_rows(&[vec![1, 2], vec![3, 4]]), 2);
        let wide = vec![0; MAX_ROW_VALUES as usize / 2];
        assert_eq!(segment.write_rows(&[wide.clone(), wide.clone(), wide]), 2);
    }
}
