"""Linear attention's family, ten rules that write to one state: the page /learn/linear-family/."""
