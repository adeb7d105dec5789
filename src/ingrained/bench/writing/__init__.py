"""The writing benchmark of SkillGrain: documents by author, contexts, annotations, revision targets and feedback.

What the policy may see and what only the benchmark knows never share a type (`hidden.Hidden`).
"""
